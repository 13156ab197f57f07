import { type FormEvent, useEffect, useState } from 'react';
import { unknownToken } from '../../../../../engine/verify/readable.ts';
import type { Meta } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Checks, verdictTitle } from '../../../components/checks.tsx';
import { Hash } from '../../../components/hash.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { groupDigits } from '../../../format.ts';
import { useStatus } from '../../../status.ts';
import type { Receipt } from '../arithmetic.ts';
import type { VerifiedReceipt } from '../verified.tsx';
import { BundleButton } from './bundle-button.tsx';
import { Coverage } from './coverage.tsx';
import {
  firstFields,
  forgetTrust,
  isOtherContract,
  readTrust,
  rpcName,
  servicesValues,
} from './trust.ts';
import { TrustForm } from './trust-form.tsx';
import { useVerification, type VerificationProgress } from './use-verification.ts';
import styles from './verify.module.css';

interface VerifyHereProps {
  /** The sale of the page's address. */
  readonly asked: { readonly chainId: number; readonly saleId: string };
  readonly receipt: Receipt;
  readonly meta: Meta;
  /** Called with each verdict; with nothing while there is none. */
  readonly onVerdict: (verdict: VerifiedReceipt | undefined) => void;
}

/** Compares the receipt that the page shows with a chain that the reader trusts, in this browser. */
export function VerifyHere({ asked, receipt, meta, onVerdict }: VerifyHereProps) {
  const { chainId } = asked;
  const { contractAddress: servedContract } = receipt;
  const genesisHash = useStatus().data?.data.deployment.genesisHash;
  const atBlock = meta.chain?.blockNumber;
  const { progress, verify, stop } = useVerification(receipt, {
    ...asked,
    atBlock,
    genesisHash,
  });
  useEffect(() => onVerdict(verdictOf(progress)), [progress, onVerdict]);
  const [fields, setFields] = useState(() => firstFields(chainId, servedContract));
  const { trust, problems } = readTrust(fields);
  const [shown, setShown] = useState(false);
  const [open, setOpen] = useState(trust === undefined);
  const running = progress.step === 'running';
  const changed = isOtherContract(fields.contract, servedContract) || fields.fromBlock !== '0';

  function submit(event: FormEvent) {
    event.preventDefault();
    setShown(true);
    if (trust === undefined) setOpen(true);
    else void verify(trust);
  }

  /** The reader knows the contract that the service named. */
  function expectContract() {
    const expected = { ...fields, contractFrom: 'reader' as const };
    setFields(expected);
    const { trust } = readTrust(expected);
    if (trust !== undefined) void verify(trust);
  }

  function reset() {
    forgetTrust(chainId);
    setFields({ ...servicesValues(chainId, servedContract), rpcUrl: fields.rpcUrl });
    setShown(false);
    stop();
  }

  return (
    <Card title="Verify in this browser">
      <form className="stack" onSubmit={submit} noValidate>
        <div aria-live="polite" className="stack">
          <Outcome progress={progress} shown={receipt} expectContract={expectContract} />
        </div>
        {changed && (
          <Panel tone="warn" title="These are your values, not the service’s">
            {isOtherContract(fields.contract, servedContract) && (
              <p>
                You check against another contract than the service names. The service names{' '}
                <Hash value={servedContract} label="contract address" />.
              </p>
            )}
            {fields.fromBlock !== '0' && <p>The search begins at block {fields.fromBlock}.</p>}
            <Button onClick={reset}>Use the service’s values</Button>
          </Panel>
        )}
        <p className="soft">
          Your browser asks an RPC, not us, and compares the receipt with the chain, field by field.
          {trust && (
            <>
              {' '}
              It asks {rpcName(trust.rpc)}, against contract{' '}
              <Hash value={trust.contractAddress} label="contract address" />.
            </>
          )}
        </p>
        <p className="actions">
          <Button main type="submit" disabled={running}>
            {running ? 'Verifying …' : 'Verify in this browser'}
          </Button>
          {running && <Button onClick={stop}>Stop</Button>}
        </p>
        <details
          className="more"
          open={open}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary>Check with another RPC or contract</summary>
          <TrustForm
            chainId={chainId}
            servedContract={servedContract}
            fields={fields}
            problems={shown ? problems : {}}
            onChange={setFields}
          />
        </details>
      </form>
      <Coverage />
      <BundleButton receipt={receipt} />
    </Card>
  );
}

const NAMED_BY_SERVICE = {
  text: 'This receipt matches the contract that this service named',
  tone: 'warn',
} as const;

/** The verdict of a verification that has ended. */
function verdictOf(progress: VerificationProgress): VerifiedReceipt | undefined {
  if (progress.step !== 'done') return undefined;
  const { verification, receipt } = progress;
  const { text, tone } = isNamed(progress)
    ? NAMED_BY_SERVICE
    : verdictTitle(SUBJECT, verification.verdict, verification.reason);
  return { receipt, title: text, tone };
}

/** True if the receipt matches a contract that only the service has named. */
function isNamed(progress: VerificationProgress): boolean {
  return (
    progress.step === 'done' &&
    progress.contractFrom === 'service' &&
    progress.verification.verdict === 'pass'
  );
}

const SUBJECT = 'This receipt';

interface OutcomeProps {
  readonly progress: VerificationProgress;
  readonly shown: Receipt;
  readonly expectContract: () => void;
}

/** The verdict, and the checks behind it. */
function Outcome({ progress, shown, expectContract }: OutcomeProps) {
  if (progress.step === 'idle') return null;
  if (progress.step === 'running') {
    const { requested, answered } = progress.progress;
    return (
      <p className={styles.progress}>
        <progress value={answered} max={Math.max(requested, 1)} aria-label="Answered requests" />
        {requested === 0
          ? 'Asking the RPC for its chain …'
          : `The RPC has answered ${answered} of ${requested} requests.`}
      </p>
    );
  }
  if (progress.step === 'stuck') {
    const { title, message } = progress.problem;
    return (
      <Panel tone="warn" title="This receipt could not be checked">
        <p>
          <strong>{title}.</strong> {message}
        </p>
      </Panel>
    );
  }
  const { verification, receipt, rpc } = progress;
  const { verdict, reason, block, newestBlock, checks, facts } = verification;
  const named = isNamed(progress);
  const inBaseUnits = unknownToken(facts);
  return (
    <>
      <Checks
        what={SUBJECT}
        verdict={verdict}
        reason={reason}
        checks={checks}
        // The token of the proven campaign: the receipt's own could rename or rescale the amounts.
        token={facts?.token}
        title={named ? NAMED_BY_SERVICE : undefined}
      >
        <p>
          Checked with {rpc}
          {block && `, as of its block ${groupDigits(block.number)}`}
          {newestBlock && newestBlock.number !== block?.number && (
            <>
              ; its newest is {groupDigits(newestBlock.number)}, <Time at={newestBlock.timestamp} />
            </>
          )}
          .
        </p>
        {inBaseUnits && <p>{inBaseUnits}</p>}
        {named && (
          <p>
            It is the service’s word that this is the contract of Tributary: another one could
            record anything. Compare its address with a source that you trust.{' '}
            <Button onClick={expectContract}>It is the contract that I expect</Button>
          </p>
        )}
      </Checks>
      {receipt !== shown && (
        <p className="soft">The receipt has changed since it was verified. Verify it again.</p>
      )}
    </>
  );
}
