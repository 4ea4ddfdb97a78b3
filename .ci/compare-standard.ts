/**
 * Compares the schemas of this package with a version of the standard, and prints what the version has in addition,
 * what it lacks, and what it has differently:
 *
 *     node --import tsx .ci/compare-standard.ts <the openapi.yaml of the standard>
 *
 * Exit code 0: no difference; 1: there are some; 2: the file cannot be read as the standard.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { differencesFrom } from './standard/compare.js';
import { KNOWN_DIFFERENCES } from './standard/known.js';
import { Standard } from './standard/openapi.js';

const [file, ...others] = process.argv.slice(2);
if (file === undefined || others.length > 0) {
  console.error('usage: node --import tsx .ci/compare-standard.ts <the openapi.yaml of the standard>');
  process.exit(2);
}

try {
  const standard = new Standard(parse(readFileSync(file, 'utf8')));
  const differences = differencesFrom(standard);
  const lines = [
    ...differences.filter((line) => !KNOWN_DIFFERENCES.includes(line)),
    ...KNOWN_DIFFERENCES.filter((line) => !differences.includes(line)).map((line) => `no longer: ${line}`),
  ];
  for (const line of lines) console.log(line);
  console.log(`OpenDelivery ${standard.version}: ${lines.length || 'no'} differences from our schemas`);
  process.exitCode = lines.length === 0 ? 0 : 1;
} catch (error) {
  console.error(`${file} cannot be compared: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
}
