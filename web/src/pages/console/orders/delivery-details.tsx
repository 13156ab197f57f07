import { useMutation } from '@tanstack/react-query';
import { withoutFormula } from '../../../../../engine/core/csv-cell.ts';
import { type DataOf, type api as publicApi, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import { Issue } from '../../../components/issue.tsx';
import { Time } from '../../../components/time.tsx';
import { DetailsText } from '../../../purchase/details-card.tsx';
import { amountText } from '../../../read-input.ts';
import { saveFile } from '../../../save-file.ts';
import { useActing, useMay } from '../acting.tsx';
import { ForRole } from '../for-role.tsx';

type Delivery = DataOf<typeof publicApi.deliveries.list>['items'][number];

/** Role that reads personal data of buyers. */
const NEEDED = 'admin';

/** Details that the buyer of a sale gave, for members who may read them. */
export function DeliveryDetails({ saleId }: { readonly saleId: string }) {
  return (
    <ForRole needs={NEEDED}>
      <Details saleId={saleId} />
    </ForRole>
  );
}

function Details({ saleId }: { readonly saleId: string }) {
  const { api, key } = useActing();
  const query = useApi([...key, 'deliveries.list'], api.deliveries.list, { saleId });
  return (
    <Answered query={query} what="The buyer’s details">
      {({ data }) => {
        const [found] = data.items;
        if (found === undefined) return <p>The buyer gave no details.</p>;
        if (!found.readable) {
          return <p>The details cannot be read any more: the service lost the key to them.</p>;
        }
        return (
          <>
            <DetailsText details={found} />
            <p className="soft">
              Last changed <Time at={found.updatedAt} />. Use them for this order alone.
            </p>
          </>
        );
      }}
    </Answered>
  );
}

/** Saves the details of all orders as a file; nothing for members who may not read them. */
export function DeliveriesDownload() {
  const { api } = useActing();
  const may = useMay(NEEDED);
  const save = useMutation({
    mutationFn: async () => {
      const rows: Delivery[] = [];
      for await (const row of api.pages(api.deliveries.list, { limit: 100 })) rows.push(row);
      if (rows.length === 0) throw new Error('No buyer has given details yet.');
      const text = [HEADER, ...rows.map(cellsOf)].map(lineOf).join('');
      saveFile('delivery-details.csv', new Blob([BOM, text], { type: 'text/csv;charset=utf-8' }));
    },
  });
  if (!may) return null;
  return (
    <>
      <Button disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? 'Collecting…' : 'Delivery details as CSV'}
      </Button>
      <Issue of={save.error} />
    </>
  );
}

/** Marks the file as UTF-8 for spreadsheets. */
const BOM = '\ufeff';

const HEADER = [
  ...['Sale', 'Product', 'Paid', 'Token', 'Recorded', 'E-mail'],
  ...['Name', 'Address 1', 'Address 2', 'Postal code', 'City', 'Region', 'Country'],
  ...['Note', 'Changed'],
];

function cellsOf({ saleId, title, amount, token, recordedAt, ...row }: Delivery): string[] {
  const { email, address, note, updatedAt } = row;
  const { name, line1, line2, postalCode, city, region, country } = address ?? NO_ADDRESS;
  return [
    ...[saleId, title, amountText(amount, token.decimals), token.symbol, recordedAt, email ?? ''],
    ...[name, line1, line2, postalCode, city, region, country],
    ...[note ?? '', updatedAt],
  ];
}

const NO_ADDRESS: NonNullable<Delivery['address']> = {
  ...{ name: '', line1: '', line2: '', postalCode: '', city: '', region: '', country: '' },
};

const lineOf = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${withoutFormula(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
