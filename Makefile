# A thin front of meson: what a newcomer types. Each target needs nothing but this checkout and a Debian 12
# machine: it installs the packages it lacks, and says so first (tools/setup).
BUILD  ?= build
PREFIX ?= /usr/local
export HEDDLE_BUILD := $(abspath $(BUILD))

# The tool alone: build/heddle and what it needs beside it.
all: $(BUILD)/build.ninja
	ninja -C $(BUILD) tool

$(BUILD)/build.ninja:
	tools/setup build
	meson setup $(BUILD)

examples: $(BUILD)/build.ninja
	ninja -C $(BUILD) tool examples

demo: examples
	BUILD=$(BUILD) tools/demo

# What all test targets need; once per build folder.
$(BUILD)/with-tests: | $(BUILD)/build.ninja
	tools/setup build test
	meson configure $(BUILD) -Dtests=enabled -Dman=enabled -Dwerror=true
	touch $@
# clang's view: only configured, never built; tools/lint takes the compile commands from it. Nobody builds there, so
# what a build would notice, a list of sources that has changed, is noticed here.
build-clang/build.ninja: $(shell git ls-files '*meson.build') | $(BUILD)/with-tests
	CC=clang meson setup $(if $(wildcard $@),--reconfigure) build-clang -Dtests=enabled -Dman=disabled -Dwerror=true
	touch $@
# The unit tests under the sanitizers, compiled by clang, whose warnings about the tests show here, too.
build-asan/build.ninja: | $(BUILD)/with-tests
	CC=clang meson setup build-asan -Dtests=enabled -Dunit_only=true -Dwerror=true \
		-Db_sanitize=address,undefined -Db_lundef=false

build-tests: $(BUILD)/with-tests
	ninja -C $(BUILD)
build-asan: build-asan/build.ninja
	ninja -C build-asan

# The build folders are configured side by side: that takes one processor each.
test: $(BUILD)/with-tests
	$(MAKE) -j3 --no-print-directory build-tests build-asan build-clang/build.ninja
	tools/run-tests

# In a minute: unit tests, toy searches, a sample of the guests; lint looks at changed files only.
test-quick: build-tests build-clang/build.ninja
	tools/run-tests quick

asan: build-asan
	tools/run-tests asan

bench: examples
	tools/setup bench
	bench/run

install: $(BUILD)/build.ninja
	meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	ninja -C $(BUILD) installed
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

# Debian packages of what is committed, looked at by lintian and tried, in build/package.
deb:
	tools/package $(BUILD)/package

format: $(BUILD)/with-tests
	tools/check-format --fix

lint: build-clang/build.ninja
	tools/lint

clean:
	rm -rf $(BUILD) build-clang build-asan heddle-out bench/out

.PHONY: all examples demo test test-quick build-tests build-asan asan bench install deb format lint clean
