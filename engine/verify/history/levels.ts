import type { EventName } from '../../core/events.ts';
import type { DecodedLog } from '../chain/decode.ts';
import type { Level, LevelLog, Walk } from './walk.ts';

/** Applies an event of one level; the next event of the sale in the transaction must close it. */
export function moveLevel(walk: Walk, log: LevelLog): void {
  const level = levelOf(walk, log);
  walk.open.push(log);
  if (level === undefined) return;
  const { amount } = log.args;
  if (log.name === 'RewardReversed') {
    level.reversed += amount;
    return;
  }
  if (amount > level.reserved) {
    walk.problems.push(
      `${log.name} moved ${amount} base units of level ${log.args.level}, which held ${level.reserved}.`,
    );
  }
  level.reserved -= amount;
  if (log.name === 'RewardVested') level.vested = log;
}

/** The level that an event names; reports a wrong level, node or recipient. */
function levelOf(walk: Walk, { name, args }: LevelLog): Level | undefined {
  const level = walk.levels[args.level - 1];
  if (level === undefined) {
    walk.problems.push(`${name} names level ${args.level}; the sale has ${walk.levels.length}.`);
    return undefined;
  }
  if (args.amount === 0n) walk.problems.push(`${name} of level ${args.level} moved nothing.`);
  const node = walk.history.path?.[args.level - 1];
  if (node !== undefined && (node.nodeId !== args.nodeId || node.owner !== args.recipient)) {
    walk.problems.push(
      `${name} of level ${args.level} names node ${args.nodeId} of ${args.recipient}; the level is node ${node.nodeId} of ${node.owner}.`,
    );
  }
  return level;
}

/** Level events must precede the event that closes them, in the same transaction (docs/reference/protocol.md#events). */
export function closeLevels(walk: Walk, closer: DecodedLog, kind: EventName): void {
  for (const { name, args, location } of walk.open) {
    if (name !== kind || location.transactionHash !== closer.location.transactionHash) {
      walk.problems.push(
        `${name} of level ${args.level} does not belong to the ${closer.name} after it.`,
      );
    }
  }
  walk.open = [];
}
