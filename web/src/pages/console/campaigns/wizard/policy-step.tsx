import { useForm } from 'react-hook-form';
import { Form } from '../../../../components/form.tsx';
import { PolicyFields, type PolicyForm } from '../policy-fields.tsx';
import {
  policyField,
  policyTerms,
  policyValues,
  proposedPolicy,
  validTerms,
} from '../policy-values.ts';
import { Simulation } from '../simulation.tsx';
import { Templates } from '../templates.tsx';
import type { StepProps } from './draft.ts';

/** The reward policy, with what a sale pays by it while one edits. */
export function PolicyStep({ draft: { draft }, product, onSave }: StepProps) {
  const token = product?.token ?? { symbol: '', decimals: 0 };
  const form = useForm<PolicyForm>({
    defaultValues: {
      ...policyValues(draft.policy ?? proposedPolicy, token.decimals),
      effectiveAt: '',
      expiry: '',
    },
  });
  const price = draft.price === undefined ? undefined : BigInt(draft.price);
  const terms = validTerms(form.watch(), token.decimals);
  return (
    <Form
      form={form}
      name="Continue"
      fieldOf={policyField}
      onSubmit={(values) =>
        onSave({
          // The policy of a new campaign expires with the campaign.
          policy: {
            ...policyTerms(values, token.decimals),
            ...(draft.endsAt === undefined ? {} : { expiry: draft.endsAt }),
          },
        })
      }
    >
      <Templates form={form} token={token} />
      <PolicyFields form={form} token={token} />
      <Simulation terms={terms} price={price} token={token} />
    </Form>
  );
}
