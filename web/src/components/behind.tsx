import { countOf } from '../format.ts';
import { blocksBehind, useStatus } from '../status.ts';

/** A message if the service is behind the chain: what is missing may just be new. */
export function LagNotice() {
  const status = useStatus().data?.data;
  const behind = status === undefined ? 0 : blocksBehind(status);
  if (behind === 0) return null;
  const at = status?.settled?.number;
  return (
    <p>
      {at === undefined ? 'No block is settled yet.' : `Everything here is as of block ${at}.`} The
      chain is {countOf(behind, 'block')} further.
    </p>
  );
}
