/** `npm run simulate`: random histories while everything goes wrong (docs/reliability.md). */
import { main } from '../test/simulator/main.ts';

process.exitCode = await main(process.argv.slice(2));
