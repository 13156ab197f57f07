/** Runs random histories with random faults: `npm run simulate` (docs/how-it-works/reliability.md). */
import { main } from '../test/simulator/main.ts';

process.exitCode = await main(process.argv.slice(2));
