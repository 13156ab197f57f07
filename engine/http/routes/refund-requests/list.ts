import { listDisputes } from '../../../db/read/disputes/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { disputeCursorOf, disputePage } from '../../resources/disputes/dispute-page.ts';

const METHOD = 'refundRequests.list';

/** `refundRequests.list`: the caller's requests for refunds, the last opened first. */
export const list: Handler<typeof METHOD> = async (input, deps, { account }) => {
  const { status, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const party = { role: 'buyer', address: account } as const;
  const after = disputeCursorOf(scope, party.role);
  return await readLedger(deps.pool, async (snapshot) => {
    const page = await listDisputes(snapshot, party, { status }, { after, limit });
    return disputePage(deps.deployment, snapshot.head, page, scope);
  });
};
