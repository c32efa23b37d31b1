// node density_node.mjs MODULE FIXTURES: prints every difference, as JSON.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { check } from "./density_check.mjs";

const density = await import(pathToFileURL(process.argv[2]));
console.log(JSON.stringify(check(density, JSON.parse(readFileSync(process.argv[3], "utf8")))));
