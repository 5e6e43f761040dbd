/*
 * The entry of `bin/tablequeue.js`. It imports nothing statically, so that a missing package is reported in a readable
 * line instead of a stack of the module loader.
 */
const NEEDED = /Cannot find (?:package|module) '(typeorm|@tablequeue\/typeorm|commander)'/;

/** How long open resources of the application keep the process alive, in ms. */
const EXIT_DELAY = 500;

async function main(): Promise<number> {
  try {
    const { run } = await import('./cli.js');
    return await run(process.argv.slice(2));
  } catch (error) {
    const name = NEEDED.exec(String(error))?.[1];
    if (!name) {
      throw error;
    }
    process.stderr.write(`tablequeue: The package ${name} is missing. Install it: npm install ${name}\n`);
    return 1;
  }
}

// The reader of a pipe may close it. The command still completes.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
}
process.exitCode = await main();
// The module with the data source of the application may have opened other resources.
setInterval(() => process.stdout.writableLength === 0 && process.exit(), EXIT_DELAY).unref();
