import type { registry } from '../../contract/registry.ts';
import type { OutputOf } from '../../contract/types.ts';
import type { Decision } from '../../db/commerce/moderation.ts';

export function moderationDecision(decision: Decision): OutputOf<typeof registry.moderation.hide> {
  return { ...decision, at: decision.at.toISOString() };
}
