import type { Meta } from '../../../api.ts';
import { Card } from '../../../components/card.tsx';
import { Checks } from '../../../components/checks.tsx';
import { Panel } from '../../../components/panel.tsx';
import { groupDigits } from '../../../format.ts';
import { hostOf } from '../../../rpc/rpc-url.ts';
import type { Receipt } from '../arithmetic.ts';
import { BundleButton } from './bundle-button.tsx';
import { TrustForm } from './trust-form.tsx';
import { useVerification, type VerificationProgress } from './use-verification.ts';
import styles from './verify.module.css';

interface VerifyHereProps {
  readonly receipt: Receipt;
  readonly meta: Meta;
}

/** Holds the receipt that the page shows against a chain that the reader trusts, in this browser. */
export function VerifyHere({ receipt, meta }: VerifyHereProps) {
  const { progress, verify, stop } = useVerification(receipt, meta.chain?.blockNumber);
  return (
    <Card title="Verify in this browser" id="verify">
      <div className={styles.stack}>
        <p className={styles.soft}>
          Your browser asks an RPC of your choice, not us, and compares every value on this page
          with the chain.
        </p>
        <TrustForm
          chainId={receipt.chainId}
          servedContract={receipt.contractAddress}
          running={progress.step === 'running'}
          onVerify={(trust) => void verify(trust)}
          onStop={stop}
        />
        <div aria-live="polite">
          <Outcome progress={progress} shown={receipt} />
        </div>
        <BundleButton receipt={receipt} />
      </div>
    </Card>
  );
}

interface OutcomeProps {
  readonly progress: VerificationProgress;
  readonly shown: Receipt;
}

function Outcome({ progress, shown }: OutcomeProps) {
  if (progress.step === 'idle') return null;
  if (progress.step === 'running') {
    const { requested, answered } = progress.progress;
    return (
      <p className={styles.progress}>
        <progress value={answered} max={Math.max(requested, 1)} aria-label="Questions answered" />
        {requested === 0
          ? 'Asking the RPC which chain it is of …'
          : `The RPC has answered ${answered} of ${requested} questions.`}
      </p>
    );
  }
  if (progress.step === 'stuck') {
    const { title, message } = progress.problem;
    return (
      <Panel tone="warn" title={title}>
        <p>{message}</p>
      </Panel>
    );
  }
  const { verification, receipt, rpcUrl } = progress;
  const { verdict, block, checks } = verification;
  return (
    <div className={styles.stack}>
      <Checks verdict={verdict} checks={checks}>
        <p>
          By {hostOf(rpcUrl)}
          {block && `, as of its block ${groupDigits(block.number)}`}.
        </p>
      </Checks>
      {receipt !== shown && (
        <p className={styles.soft}>
          The receipt has changed since it was verified: verify it again.
        </p>
      )}
    </div>
  );
}
