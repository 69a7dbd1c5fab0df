#pragma once
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
