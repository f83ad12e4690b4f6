# Holdfast: `make demo` shows it at work, `make test` proves it. Both install what is missing.

SWIFT ?= swift
SWIFTFLAGS = -Xswiftc -warnings-as-errors
RELEASE = $(SWIFT) build -c release $(SWIFTFLAGS) --product holdfast
# Tests that measure time, which all the others at once would stretch; run by themselves.
TIMED = ObservationTests/otherProcess timerKeepsTicking
PYTHON = .build/python/bin/python

.PHONY: build test demo conformance bench threads docs format lint clean packages demo-packages python

build: packages
	$(SWIFT) build $(SWIFTFLAGS)

test: packages python lint
	$(SWIFT) build --build-tests $(SWIFTFLAGS)
	HOLDFAST_PYTHON="$(CURDIR)/$(PYTHON)" $(SWIFT) test $(SWIFTFLAGS) $(TIMED:%=--skip %)
	$(SWIFT) test $(SWIFTFLAGS) --skip-build --no-parallel $(TIMED:%=--filter %)
	scripts/docs.sh
	.build/debug/holdfast conformance --backend all

demo: packages demo-packages
	@$(RELEASE) >&2
	@scripts/demo.sh .build/release/holdfast
	@printf '\n== the conformance suite, on every backend\n'
	@.build/release/holdfast conformance --backend all

conformance: packages
	$(RELEASE)
	.build/release/holdfast conformance --backend all

bench: packages
	$(RELEASE)
	.build/release/holdfast bench

threads: packages
	scripts/thread-sanitizer.sh

docs: packages
	scripts/docs.sh

format:
	$(SWIFT) format --in-place --recursive Sources Tests Conformance Package.swift

lint:
	$(SWIFT) format lint --strict --recursive Sources Tests Conformance Package.swift

clean:
	$(SWIFT) package clean

packages:
	@scripts/install-packages.sh libsqlite3-dev liblmdb-dev pkg-config

demo-packages:
	@scripts/install-packages.sh iso-codes

python: packages
	@scripts/install-packages.sh python3 python3-venv sqlite3 strace
	@scripts/python-modules.sh .build/python lmdb cbor2
