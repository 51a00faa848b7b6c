/** The floor for `--version`: Node starts and writes a line. */

process.stdout.write('0.0.0 (floor)\n');
