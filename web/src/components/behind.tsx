import { useStatus } from '../status.ts';

/** Blocks behind the chain's head that need no message. */
const BLOCKS_USUAL = 5;

/** Says how far the service is behind the chain, where it is: what is missing may just be new. */
export function LagNotice() {
  const { data } = useStatus();
  const blocks = data?.data.lag.total ?? null;
  if (blocks === null || blocks <= BLOCKS_USUAL) return null;
  const at = data?.data.settled?.number;
  return (
    <p>
      {at === undefined ? 'Nothing is settled yet' : `It has settled block ${at}`}, and the chain is{' '}
      {blocks} blocks further: what happened there is not here yet.
    </p>
  );
}
