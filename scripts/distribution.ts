/**
 * Prints the SQL that distributes a database over the nodes of a Citus cluster (docs/distributed-database.md), or
 * with `--page` the table of that page. It connects to nothing.
 */
import { distributionSql, distributionTable } from './distribution/tables.ts';

process.stdout.write(process.argv.includes('--page') ? distributionTable() : distributionSql());
