import type { Exit } from './processes.ts';

/** Exit code of our own refusals in Ponder's process (`ponder/run.mjs`): EX_CONFIG of sysexits.h. */
const REFUSED_EXIT = 78;

/**
 * Sentences of Ponder 0.17.7 about what only a person can change: its configuration, and a schema that belongs
 * to something else. It exits 1 for these, and also for what passes, such as an RPC that was away while it read
 * the configuration ("Unable to fetch") or a schema that is still locked ("Failed to acquire lock").
 */
const CONFIGURATION_SENTENCES = [
  /^Validation failed:/,
  /^Invalid (database configuration|schema name|views schema name|'pollingInterval'|id for chain)/,
  /^Database schema required/,
  /^Views schema cannot be the same/,
  /^(Schema|Views schema) name cannot be longer/,
  /^Chain ".+" with id \d+ has (a chain_id that is too large|no RPC)/,
  /^Schema ".+" was previously used by a/,
  /because an? (table|view|enum) with that name already exists/,
  /^API endpoint file (not found|does not export)/,
  // Of ponder.config.ts.
  /^[A-Z_]+ is not set: start the indexer/,
];

/**
 * True if Ponder would end the same way again until a person changes the configuration. Every other end is worth
 * another try, because it may be of a slow machine, or of a database or an RPC that is away for a while; so is an
 * end whose reason is not known.
 * @param reason Ponder's last error.
 */
export function isConfigurationError({ code }: Exit, reason: string | undefined): boolean {
  if (code === REFUSED_EXIT) return true;
  if (code !== 1 || reason === undefined) return false;
  return CONFIGURATION_SENTENCES.some((sentence) => sentence.test(reason));
}
