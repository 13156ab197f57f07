import { useQueryClient } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useApi } from '../../../../api.ts';
import { Answered } from '../../../../components/answered.tsx';
import { Card } from '../../../../components/card.tsx';
import { Loading } from '../../../../components/loading.tsx';
import { useActing } from '../../acting.tsx';
import { ForRole } from '../../for-role.tsx';
import { draftPath, sectionPath } from '../../paths.ts';
import styles from '../campaigns.module.css';
import { BudgetStep } from './budget-step.tsx';
import { type Draft, type DraftBody, type Product, type StepId, steps } from './draft.ts';
import { PolicyStep } from './policy-step.tsx';
import { PriceStep } from './price-step.tsx';
import { ProductStep } from './product-step.tsx';
import { PublishStep } from './publish-step.tsx';
import { ReviewStep } from './review-step.tsx';

/** A new campaign, a step at a time. Each step saves the draft, so that one can go on later. */
export function Wizard({ draftId }: { readonly draftId: string }) {
  const { api, key } = useActing();
  const query = useApi([...key, 'campaigns.getDraft'], api.campaigns.getDraft, { id: draftId });
  const products = useApi([...key, 'products.list'], api.products.list, { limit: 100 });
  if (products.isPending) return <Loading what="your products" />;
  return (
    <>
      <p>
        <Link href={sectionPath('campaigns')}>All campaigns</Link>
      </p>
      <ForRole needs="admin">
        <Answered query={query} what="The draft">
          {({ data }) =>
            data.state === 'PUBLISHED' ? (
              <PublishStep draft={data} token={tokenOf(products.data?.data.items ?? [], data)} />
            ) : (
              <Steps draft={data} products={products.data?.data.items ?? []} />
            )
          }
        </Answered>
      </ForRole>
    </>
  );
}

/** Token of the product that a draft sells. */
function tokenOf(products: readonly Product[], { draft }: Draft) {
  return products.find(({ id }) => id === draft.productId)?.token ?? null;
}

interface StepsProps {
  readonly draft: Draft;
  readonly products: readonly Product[];
}

function Steps({ draft, products }: StepsProps) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [params, setParams] = useSearchParams();
  const product = products.find(({ id }) => id === draft.draft.productId);
  const wanted = steps.find(([id]) => id === params.get('step'))?.[0];
  // Without a product there is no token, and nothing else can be entered.
  const next: StepId = draft.issues.length === 0 ? 'review' : 'product';
  const current: StepId = product === undefined ? 'product' : (wanted ?? next);
  const index = steps.findIndex(([id]) => id === current);
  async function save(changes: Omit<DraftBody, 'version'>) {
    const body = { ...draft.draft, ...changes };
    const saved = await api.campaigns.saveDraft({ id: draft.id, draft: body });
    queries.setQueryData([...key, 'campaigns.getDraft', { id: draft.id }], saved);
    await queries.invalidateQueries({ queryKey: [...key, 'campaigns.mine'] });
    setParams({ draft: draft.id, step: steps[index + 1]?.[0] ?? 'review' });
  }
  const step = { draft, product, onSave: save };
  return (
    <>
      <ol className={styles.steps} aria-label="Steps">
        {steps.map(([id, title], i) => (
          <li key={id}>
            <Link
              className={styles.step}
              href={`${draftPath(draft.id)}&step=${id}`}
              aria-current={id === current ? 'step' : undefined}
            >
              {i + 1}. {title}
            </Link>
          </li>
        ))}
      </ol>
      <Card title={steps[index]?.[1] ?? ''}>
        {current === 'product' && <ProductStep {...step} products={products} />}
        {current === 'price' && product && <PriceStep {...step} />}
        {current === 'policy' && product && <PolicyStep {...step} />}
        {current === 'budget' && product && <BudgetStep {...step} />}
        {current === 'review' && <ReviewStep {...step} />}
      </Card>
    </>
  );
}
