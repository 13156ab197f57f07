import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { Button } from '../../../../components/button.tsx';
import { Form } from '../../../../components/form.tsx';
import { useActing, useMay } from '../../acting.tsx';
import { ForRole } from '../../for-role.tsx';
import { MerchantTransactions } from '../../merchant-transactions.tsx';
import { pathOfCampaign } from '../../paths.ts';
import { readable } from '../../readable.ts';
import styles from '../campaigns.module.css';
import type { Campaign, Operation, Prepared } from './operation.ts';
import { Preview } from './preview.tsx';

interface Props {
  readonly operation: Operation;
  readonly campaign: Campaign;
}

/** One operation: its form, what it would change, and the transactions to sign. */
export function OperationForm({ operation, campaign }: Props) {
  const { api } = useActing();
  const may = useMay('admin');
  const [prepared, setPrepared] = useState<Prepared>();
  const form = useForm({ defaultValues: operation.defaults(campaign) });
  const { Fields, title, text } = operation;
  if (prepared !== undefined) {
    return (
      <Outcome
        prepared={prepared}
        operation={operation}
        campaign={campaign}
        onBack={() => setPrepared(undefined)}
      />
    );
  }
  return (
    <Form
      form={form as UseFormReturn<FieldValues>}
      onSubmit={async (values) =>
        setPrepared((await operation.prepare(api, values, campaign)).data)
      }
      fieldOf={operation.fieldOf}
      disabled={!may}
      name={`Preview: ${title.toLowerCase()}`}
      aside={<Link href={operationsOf(campaign)}>Cancel</Link>}
    >
      <p>{text}</p>
      {Fields && <Fields form={form} campaign={campaign} />}
      <ForRole needs="admin">{null}</ForRole>
    </Form>
  );
}

const operationsOf = ({ campaignId }: Campaign) =>
  pathOfCampaign(campaignId, { tab: 'operations' });

interface OutcomeProps extends Props {
  readonly prepared: Prepared;
  readonly onBack: () => void;
}

function Outcome({ prepared, operation, campaign, onBack }: OutcomeProps) {
  const queries = useQueryClient();
  const { status, warnings, reasons, transactions } = prepared;
  const done = (
    <p role="status">
      Done, and settled. <Link href={pathOfCampaign(campaign.campaignId)}>To the campaign</Link>
    </p>
  );
  return (
    <div className={styles.stack}>
      {status === 'in_effect' && <p role="status">This is in effect already: nothing to sign.</p>}
      {status === 'refused' && (
        <div role="alert" className={styles.issue}>
          <p>The contract would refuse this now:</p>
          <ul className={styles.list}>
            {reasons.map(({ error, message }) => (
              <li key={error}>{readable(message, campaign.token)}</li>
            ))}
          </ul>
        </div>
      )}
      <Preview changes={prepared.preview} token={campaign.token} />
      {warnings.length > 0 && (
        <ul className={styles.list} aria-label="Know before you sign">
          {warnings.map(({ code, message }) => (
            <li
              key={`${code}/${message}`}
              className={code === 'BUDGET' ? undefined : styles.warning}
            >
              {readable(message, campaign.token)}
            </li>
          ))}
        </ul>
      )}
      {transactions.length > 0 && (
        <MerchantTransactions
          transactions={transactions.map(({ transaction }) => ({
            ...transaction,
            description: readable(transaction.description, campaign.token),
          }))}
          name={operation.title}
          done={done}
          onSettled={() => queries.invalidateQueries()}
        />
      )}
      <div>
        <Button onClick={onBack}>Back to the form</Button>
      </div>
    </div>
  );
}
