# Everything a developer or a user does with this repository. Each target installs what it needs.
.PHONY: help run test bench lint format docs clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## See it work: a recorded walk, tracked, sent, kept and drawn on a map
	@scripts/bootstrap run
	@scripts/run

test: ## Every test, with real parts: gpsd, Chromium
	@scripts/bootstrap test
	@scripts/schemathesis
	@scripts/test

bench: ## Measure, and compare with the goals and with others
	@scripts/bootstrap bench
	@scripts/bench

lint: ## The gate: formatting, warnings, directions of imports, forbidden things
	@scripts/bootstrap lint
	@scripts/test-gate
	@scripts/check

format: ## Format all Swift files
	@swift format format -i -r Package.swift Sources Tests Benchmarks Snippets Examples

docs: ## Reference documentation into .build/documentation
	@scripts/bootstrap lint
	@scripts/docs

clean: ## Remove what was built
	@rm -rf .build Benchmarks/.build Examples/*/.build
