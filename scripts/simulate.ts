/** Runs random histories with random faults: `npm run simulate` (test/simulator/README.md). */
import { main } from '../test/simulator/main.ts';

process.exitCode = await main(process.argv.slice(2));
