# Everything a developer or a user does with this repository. Each target installs what it needs.
.PHONY: help run test test-system test-browser test-attack soak bench accuracy lint format docs dist dist-arm64 test-dist clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## See it work: a recorded walk, tracked, sent, kept and drawn on a map
	@scripts/bootstrap run
	@scripts/run

test: ## The tests that need no other server and no browser
	@scripts/bootstrap test
	@scripts/test quick

test-system: ## The tests with PostgreSQL, an MQTT broker, gpsd, a message bus, nginx and spin; the blocks of the documents
	@scripts/bootstrap system
	@scripts/schemathesis
	@scripts/lemonldap
	@scripts/test system

test-browser: ## The tests of the pages, in Chromium
	@scripts/bootstrap browser
	@scripts/test browser

test-attack: ## Attack the release executable: rebinding, proxies, bombs, slow connections, framing, 100,000 damaged requests
	@scripts/bootstrap system
	@scripts/test-attack

soak: ## All states of the models, damaged texts for every decoder, 10,000 days of geofences, a million power cuts, 200 schedules of faults, 200 simulated fortnights and a year of the whole chain, planted faults: several hours
	@scripts/bootstrap system
	@scripts/soak

bench: ## Measure, and compare with the goals and with others
	@scripts/bootstrap bench
	@scripts/bench

accuracy: ## Measure analyses against public data: make accuracy GEOLIFE=DIR DIARIES=DIR ROADS=DIR TAXIS=DIR AALTO=DIR RAILS=DIR GOAL=DIR MOBILITYNET=DIR; see Accuracy/README.md
	@scripts/bootstrap docs
	@GEOLIFE="$(GEOLIFE)" DIARIES="$(DIARIES)" STAYS="$(STAYS)" ROADS="$(ROADS)" ROUTES="$(ROUTES)" TAXIS="$(TAXIS)" AALTO="$(AALTO)" RAILS="$(RAILS)" GOAL="$(GOAL)" MOBILITYNET="$(MOBILITYNET)" scripts/accuracy

lint: ## The gate: formatting, warnings, directions of imports, forbidden things
	@scripts/bootstrap lint
	@scripts/test-gate & gate=$$!; scripts/test-check-apple; apple=$$?; wait $$gate && exit $$apple
	@scripts/test-docs
	@scripts/check

format: ## Format all Swift files
	@swift format format -i -r Package.swift Sources Tests Benchmarks Accuracy Snippets Examples Apps

docs: ## The site of the documentation, with the reference of the libraries, into .build/site
	@scripts/bootstrap docs
	@scripts/docs
	@scripts/site

dist: ## Everything of a release: Debian packages, archives, a list of what is inside, checksums, into .build/dist
	@scripts/bootstrap dist
	@scripts/dist

dist-arm64: dist ## Packages for arm64 as well, built on amd64 by Debian's Swift; needs root
	@scripts/bootstrap arm64
	@scripts/dist --arm64

test-dist: ## The same, installed, updated, downgraded, removed and purged in a bare Debian root; needs root
	@scripts/bootstrap dist
	@scripts/test-dist

clean: ## Remove what was built
	@rm -rf .build Benchmarks/.build Examples/*/.build
