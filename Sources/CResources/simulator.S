#define NAME simulator
#include "archive.h"

#define FILE "GodwitSimulator/Phones/motion-chips.json"
#include "file.h"
#define FILE "GodwitSimulator/Phones/phones.json"
#include "file.h"
#define FILE "GodwitSimulator/Reports/Page/charts.js"
#include "file.h"
#define FILE "GodwitSimulator/Reports/Page/map.js"
#include "file.h"
#define FILE "GodwitSimulator/Reports/Page/report.css"
#include "file.h"
#define FILE "GodwitSimulator/Reports/Page/report.html"
#include "file.h"
#define FILE "GodwitSimulator/Reports/Page/report.js"
#include "file.h"

SYMBOL(NAME, _end):
