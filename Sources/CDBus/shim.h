#pragma once
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-id128.h>
