import { api, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { NotFoundPage } from '../not-found/index.tsx';
import { ReceiptView } from './view.tsx';

interface ReceiptPageProps {
  readonly chainId: string;
  readonly saleId: string;
}

const CHAIN = /^[1-9][0-9]{0,15}$/;
const SALE = /^(?:[1-9][0-9]{0,77}|demo-[A-Za-z0-9_-]{1,80})$/;

/** A sale: who bought what, who is paid what for it and why, and how to check all of it. */
export function ReceiptPage({ chainId, saleId }: ReceiptPageProps) {
  if (!CHAIN.test(chainId) || !SALE.test(saleId)) return <NotFoundPage />;
  return <Loaded chainId={Number(chainId)} saleId={saleId} />;
}

function Loaded({ chainId, saleId }: { readonly chainId: number; readonly saleId: string }) {
  const key = ['receipts.get'];
  const query = useApi(key, api.receipts.get, { chainId, saleId });
  return (
    <>
      {query.data === undefined && (
        <PageHead title={`Sale ${saleId}`} kind={`Receipt on chain ${chainId}`} />
      )}
      <Answered query={query} what={`Sale ${saleId} of chain ${chainId}`}>
        {(reply) => <ReceiptView asked={{ chainId, saleId }} reply={reply} queryKey={key} />}
      </Answered>
    </>
  );
}
