/*
 * What `bin/tablequeue.js` runs. Nothing is imported at first: a package that is missing is to be named in a readable
 * line, not in the stack of the module loader.
 */
const NEEDED = /Cannot find (?:package|module) '(typeorm|@tablequeue\/typeorm|commander)'/;

/** How long something that was left open keeps the process alive, in ms. */
const PATIENCE = 500;

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

// Whoever reads what is printed may stop reading: what is under way comes to its end all the same.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
}
process.exitCode = await main();
// A module with the application's data source may have opened what nobody closes.
setInterval(() => process.stdout.writableLength === 0 && process.exit(), PATIENCE).unref();
