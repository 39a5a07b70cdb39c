# A thin front of meson: what a newcomer types. `make demo` and `make test` need nothing but this
# checkout and a Debian 12 machine.
BUILD  ?= build
PREFIX ?= /usr/local
export HEDDLE_BUILD := $(abspath $(BUILD))

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	tools/setup
	meson setup $(BUILD)

# The same sources under a second compiler, and the unit tests under the sanitizers.
build-clang/build.ninja: | $(BUILD)/build.ninja
	CC=clang meson setup build-clang -Dwerror=true -Dman=disabled
build-asan/build.ninja: | $(BUILD)/build.ninja
	meson setup build-asan -Dwerror=true -Dunit_only=true -Db_sanitize=address,undefined -Db_lundef=false

setup:
	tools/setup

demo: setup all
	BUILD=$(BUILD) tools/demo

test: setup $(BUILD)/build.ninja build-clang/build.ninja build-asan/build.ninja
	meson configure $(BUILD) -Dwerror=true
	ninja -C $(BUILD)
	ninja -C build-clang
	ninja -C build-asan
	tools/run-tests

test-quick: all build-clang/build.ninja
	tools/run-tests checks tools unit sim

asan: build-asan/build.ninja
	ninja -C build-asan
	tools/run-tests asan

bench: setup all
	bench/run

install: all
	meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	DESTDIR=$(DESTDIR) meson install -C $(BUILD)

format:
	tools/check-format --fix

lint: build-clang/build.ninja
	tools/lint

clean:
	rm -rf $(BUILD) build-clang build-asan heddle-out bench/out

.PHONY: all setup demo test test-quick asan bench install format lint clean
