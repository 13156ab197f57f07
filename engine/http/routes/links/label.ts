import { setLinkLabel } from '../../../db/commerce/link-labels.ts';
import { getNode } from '../../../db/read/graph/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { HttpError, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';

/** `links.label`: names a link of the caller, for the caller alone. */
export const label: Handler<'links.label'> = async (input, deps, { account: owner }) => {
  const node = await readLedger(deps.pool, (snapshot) =>
    getNode(snapshot, { nodeId: input.nodeId }),
  );
  if (node === undefined) throw notFound(`There is no node ${input.nodeId}.`);
  if (node.owner !== owner) {
    throw new HttpError('FORBIDDEN', `Node ${input.nodeId} belongs to another account.`);
  }
  const { campaignId, nodeId } = node;
  const now = new Date(deps.clock());
  await setLinkLabel(deps.pool, { owner, campaignId, nodeId }, input.label, now);
  return { data: { nodeId, campaignId, label: input.label } };
};
