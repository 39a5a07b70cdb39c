"""A dropbear with an account of its own, from files below a folder: nothing of the system is touched."""

import pathlib
import shlex
import shutil
import subprocess

USER, PASSWORD = "carl", "weft"


def missing():
    """What is needed and not there; '' if all is."""
    for program in ("dropbear", "dropbearkey", "openssl"):
        if not shutil.which(program, path="/usr/bin:/usr/sbin:/bin:/sbin"):
            return program
    found = subprocess.run(["sh", "-c", "LD_PRELOAD=libnss_wrapper.so true"], capture_output=True, text=True)
    return "libnss_wrapper.so" if found.stderr else ""


def set_up(folder):
    """Host key and account; what goes before `heddle inetd {port:22} dropbear …` and the arguments of dropbear."""
    folder = pathlib.Path(folder)
    key = folder / "hostkey"
    if not key.exists():
        subprocess.run(["dropbearkey", "-t", "ed25519", "-f", key], check=True, capture_output=True)
    word = subprocess.run(["openssl", "passwd", "-1", "-salt", "ab", PASSWORD], check=True, capture_output=True,
                          text=True).stdout.strip()
    (folder / "home").mkdir(exist_ok=True)
    (folder / "passwd").write_text(f"{USER}:{word}:0:0::{folder}/home:/bin/sh\n")
    (folder / "shadow").write_text(f"{USER}:{word}:19000:0:99999:7:::\n")
    (folder / "group").write_text("root:x:0:\n")
    place = shlex.quote(str(folder))
    before = (f'export LD_PRELOAD="$LD_PRELOAD libnss_wrapper.so" NSS_WRAPPER_PASSWD={place}/passwd '
              f"NSS_WRAPPER_SHADOW={place}/shadow NSS_WRAPPER_GROUP={place}/group; exec ")
    return before, f"dropbear -i -r {place}/hostkey"


def ftp_command(folder):
    """vsftpd, as one process, with the folder as its root."""
    conf = pathlib.Path(folder) / "vsftpd.conf"
    conf.write_text(f"listen=NO\nanonymous_enable=YES\nlocal_enable=NO\none_process_model=YES\nrun_as_launching_user=YES\n"
                    f"anon_root={folder}\nsecure_chroot_dir={folder}\nftp_username=root\nseccomp_sandbox=NO\nisolate=NO\n"
                    "isolate_network=NO\npasv_address=127.0.0.1\nxferlog_enable=NO\nbackground=NO\n")
    return f"vsftpd {shlex.quote(str(conf))}"
