import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MINE } from '../../../account/session.ts';
import { SignTransactions } from '../../../account/sign-transactions.tsx';
import { api } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Panel } from '../../../components/panel.tsx';

interface ClaimDialogProps {
  readonly campaignId: string;
  readonly address: string;
  readonly onClose: () => void;
}

/** A window that finalizes what is due in one campaign, and claims its rewards. */
export function ClaimDialog({ campaignId, address, onClose }: ClaimDialogProps) {
  const queries = useQueryClient();
  // Its key is not among those that are read again after a change: the transactions must stay the same until the end.
  const query = useQuery({
    queryKey: ['claim', campaignId],
    queryFn: async () => (await findClaimable(campaignId)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const item = query.data;
  const transactions = [item?.finalize, item?.claim].filter((one) => one != null);
  return (
    <Dialog title={item?.campaignTitle ?? 'Claim'} open onClose={onClose}>
      {query.isPending && <Loading what="what can be claimed" />}
      {query.error && (
        <Failure
          error={query.error}
          what="What can be claimed"
          onRetry={() => void query.refetch()}
        />
      )}
      {item === null && <Empty>Nothing can be claimed in this campaign now.</Empty>}
      {item && (
        <div className="stack">
          <p>
            <Amount value={item.claimable} token={item.token} /> can be claimed now
            {item.finalize && (
              <>
                ; <Amount value={item.readyToFinalize} token={item.token} /> more after the sales
                whose hold is over are finalized
              </>
            )}
            .
          </p>
          <SignTransactions
            transactions={transactions}
            address={address}
            name="Sign and send"
            onSettled={() => queries.invalidateQueries({ queryKey: [MINE] })}
            done={
              <Panel tone="good" title="Done" role="status">
                {item.claim ? (
                  <p>Your rewards were paid. The payment is in the list of claims.</p>
                ) : (
                  <p>The rewards are claimable now. Close this window, and claim them.</p>
                )}
              </Panel>
            }
          />
        </div>
      )}
    </Dialog>
  );
}

/** The campaign with its transactions; `undefined` if nothing can be claimed in it. */
async function findClaimable(campaignId: string) {
  for await (const item of api.pages(api.earnings.claimable, { limit: 100 })) {
    if (item.campaignId === campaignId) return item;
  }
  return undefined;
}
