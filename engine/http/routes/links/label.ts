import { setLinkLabel } from '../../../db/commerce/link-labels.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { HttpError } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { requireNode } from '../../resources/links/read-link.ts';

/** `links.label`: names a link of the caller, for the caller alone. */
export const label: Handler<'links.label'> = async (input, deps, { session }) => {
  const { address: owner } = session;
  const node = await readLedger(deps.pool, (snapshot) => requireNode(snapshot, input.nodeId));
  if (node.owner !== owner) {
    throw new HttpError('FORBIDDEN', `Node ${input.nodeId} belongs to another account.`);
  }
  const { campaignId, nodeId } = node;
  const now = new Date(deps.clock());
  await setLinkLabel(deps.pool, { owner, campaignId, nodeId }, input.label, now);
  return { data: { nodeId, campaignId, label: input.label } };
};
