// heddle.rs: heddle_outcome for Rust guests. Stable Rust has no weak
// references, so the entry point is looked up at run time; natively it is absent.
use std::os::raw::{c_char, c_long, c_uint, c_void};

extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn entry(name: &'static [u8]) -> *mut c_void {
    unsafe { dlsym(std::ptr::null_mut(), name.as_ptr() as *const c_char) }
}

#[allow(dead_code)]
pub fn outcome(value: i64) {
    let f = entry(b"heddle_rt_outcome\0");
    if !f.is_null() {
        let f: extern "C" fn(c_long) = unsafe { std::mem::transmute(f) };
        f(value);
    }
}

#[allow(dead_code)]
pub fn choose(n: u32) -> u32 {
    let f = entry(b"heddle_rt_choose\0");
    if f.is_null() {
        return 0;
    }
    let f: extern "C" fn(c_uint) -> c_uint = unsafe { std::mem::transmute(f) };
    f(n)
}
