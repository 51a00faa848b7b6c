/** The least that can be seen at a terminal: a line. It stays until it is ended, so that its use can be read. */

process.stdout.write('opening\n');
setTimeout(() => {}, 60_000);
