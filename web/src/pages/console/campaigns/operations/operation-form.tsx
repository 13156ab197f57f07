import { useState } from 'react';
import { type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { Button } from '../../../../components/button.tsx';
import { Form } from '../../../../components/form.tsx';
import { useActing, useMay } from '../../acting.tsx';
import { ForRole } from '../../for-role.tsx';
import type { PreparedOperation } from '../../operation.ts';
import { campaignPath, operationPath } from '../../paths.ts';
import { Prepared } from '../../prepared.tsx';
import type { Campaign, Operation } from './operation.ts';

interface Props {
  readonly operation: Operation;
  readonly campaign: Campaign;
}

/** One operation: its form, what it would change, and the transactions to sign. */
export function OperationForm({ operation, campaign }: Props) {
  const { api } = useActing();
  const may = useMay('admin');
  const [prepared, setPrepared] = useState<PreparedOperation>();
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
      name={`Preview: ${title}`}
      aside={<Link href={operationsOf(campaign)}>Cancel</Link>}
    >
      <p>{text}</p>
      {Fields && <Fields form={form} campaign={campaign} />}
      <ForRole needs="admin">{null}</ForRole>
    </Form>
  );
}

const operationsOf = ({ campaignId }: Campaign) => operationPath(campaignId);

interface OutcomeProps extends Props {
  readonly prepared: PreparedOperation;
  readonly onBack: () => void;
}

function Outcome({ prepared, operation, campaign, onBack }: OutcomeProps) {
  return (
    <div className="stack">
      <Prepared
        operation={prepared}
        token={campaign.token}
        name={operation.title}
        done={
          <p role="status">
            Done, and settled. <Link href={campaignPath(campaign.campaignId)}>To the campaign</Link>
          </p>
        }
      />
      <div>
        <Button onClick={onBack}>Back to the form</Button>
      </div>
    </div>
  );
}
