# The tasks of developers and users of this repository. Each target installs its prerequisites.
.PHONY: help run test test-system test-browser test-attack soak bench accuracy lint format docs dist dist-arm64 test-dist clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Run a demonstration: a recorded walk is tracked, sent, stored and shown on a map
	@scripts/bootstrap run
	@scripts/run

test: ## Run the tests that need no other server and no browser
	@scripts/bootstrap test
	@scripts/test quick

test-system: ## Run the tests with PostgreSQL, an MQTT broker, gpsd, a message bus, nginx and spin, and the code blocks of the documents
	@scripts/bootstrap system
	@scripts/schemathesis
	@scripts/lemonldap
	@scripts/test system

test-browser: ## Run the tests of the pages, in Chromium
	@scripts/bootstrap browser
	@scripts/test browser

test-attack: ## Attack the release executable: rebinding, proxies, bombs, slow connections, framing, 100,000 damaged requests
	@scripts/bootstrap system
	@scripts/test-attack

soak: ## Run the long tests, for several hours: all states of the models, damaged input for every decoder, 10,000 days of geofences, a million power cuts, 200 schedules of faults, 200 simulated fortnights, a year of the whole chain, planted faults
	@scripts/bootstrap system
	@scripts/soak

bench: ## Measure, and compare with the goals and with other programs
	@scripts/bootstrap bench
	@scripts/bench

accuracy: ## Measure analyses against public data: make accuracy GEOLIFE=DIR DIARIES=DIR ROADS=DIR TAXIS=DIR AALTO=DIR RAILS=DIR GOAL=DIR MOBILITYNET=DIR; see Accuracy/README.md
	@scripts/bootstrap docs
	@GEOLIFE="$(GEOLIFE)" DIARIES="$(DIARIES)" STAYS="$(STAYS)" ROADS="$(ROADS)" ROUTES="$(ROUTES)" TAXIS="$(TAXIS)" AALTO="$(AALTO)" RAILS="$(RAILS)" GOAL="$(GOAL)" MOBILITYNET="$(MOBILITYNET)" scripts/accuracy

lint: ## Run the gate: formatting, warnings, directions of imports, forbidden constructs
	@scripts/bootstrap lint
	@scripts/test-gate & gate=$$!; scripts/test-check-apple & apple=$$!; scripts/check && scripts/test-docs; checks=$$?; \
	wait $$gate && wait $$apple && exit $$checks

format: ## Format all Swift files
	@swift format format -i -r Package.swift Sources Tests Benchmarks Accuracy Snippets Examples Apps

docs: ## Build the site of the documentation, with the reference of the libraries, in .build/site
	@scripts/bootstrap docs
	@scripts/docs
	@scripts/site

dist: ## Build the files of a release in .build/dist: Debian packages, archives, a list of their contents, checksums
	@scripts/bootstrap dist
	@scripts/dist

dist-arm64: dist ## Build also the packages for arm64, on amd64 with Debian's Swift; needs root
	@scripts/bootstrap arm64
	@scripts/dist --arm64

test-dist: ## Build a release, and install, update, downgrade, remove and purge its packages in a bare Debian root; needs root
	@scripts/bootstrap dist
	@scripts/test-dist

clean: ## Remove all build results
	@rm -rf .build Benchmarks/.build Examples/*/.build
