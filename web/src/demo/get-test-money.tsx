import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Amount } from '../components/amount.tsx';
import { Button } from '../components/button.tsx';
import { Issue } from '../components/issue.tsx';
import styles from './demo.module.css';
import { demo } from './demo.ts';
import { getTestMoney } from './send-test-money.ts';

/**
 * A button that sends test money to an account, and to any wallet that is on the local chain. Nothing unless the
 * service runs on its own local chain.
 */
export function GetTestMoney({ address }: { readonly address: string }) {
  const queries = useQueryClient();
  const get = useMutation({
    mutationFn: async () => await getTestMoney(address),
    // Balances are read by the wallet as well as by the service.
    onSuccess: async () => await queries.invalidateQueries(),
  });
  if (demo() === undefined) return null;
  return (
    <span className={styles.money}>
      <Button disabled={get.isPending} onClick={() => get.mutate()}>
        {get.isPending ? 'Sending…' : 'Get test TUSD'}
      </Button>
      <span role="status">
        {get.data && (
          <>
            You got <Amount value={get.data.amount} token={get.data.token} />
            {get.data.gas === '0' ? '.' : ', and ether for fees.'}
          </>
        )}
      </span>
      <Issue of={get.error} small />
    </span>
  );
}
