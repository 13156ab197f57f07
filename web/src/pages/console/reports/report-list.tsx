import { useMutation, useQueryClient } from '@tanstack/react-query';
import { usePages } from '../../../api.ts';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Issue } from '../../../components/issue.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { count, countOf, utcTime, words } from '../../../format.ts';
import { saveFile } from '../../../save-file.ts';
import { useActing, useMay } from '../acting.tsx';
import { kinds, type Report } from './kinds.ts';

const tones: Readonly<Record<Report['status'], Tone>> = {
  queued: 'plain',
  running: 'plain',
  ready: 'good',
  failed: 'bad',
  expired: 'plain',
};

/** Reports that were ordered, newest first. Those that are not ready yet are followed until they are. */
export function ReportList() {
  const { api, key } = useActing();
  const mayRemove = useMay('admin');
  const queries = useQueryClient();
  const list = [...key, 'reports.list'];
  const pages = usePages(list, api.reports.list, { limit: 20 }, isMade);
  const download = useMutation({
    mutationFn: async ({ id, kind, format }: Report) => {
      // The link of the list may have expired meanwhile.
      const { data } = await api.reports.get({ id });
      if (data.downloadUrl === null) throw new Error('The file does not exist any more.');
      const response = await api.download(data.downloadUrl);
      const day = (data.finishedAt ?? data.createdAt).slice(0, 10);
      saveFile(`${kind}-${day}.${format}`, await response.blob());
    },
  });
  const remove = useMutation({
    mutationFn: (id: string) => api.reports.remove({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: list }),
  });
  return (
    <ListCard
      title="Reports"
      pages={pages}
      empty="No report was ordered yet. Choose above what you need."
      rowKey={({ id }) => id}
      columns={[
        { name: 'Report', cell: ({ kind, format }) => `${kinds[kind]} (${format})` },
        {
          name: 'Of',
          cell: ({ range, campaignIds }) =>
            [
              range === null ? 'all time' : `${day(range.from)} – ${day(range.to)}`,
              campaignIds.length > 0 && countOf(campaignIds.length, 'campaign'),
            ]
              .filter(Boolean)
              .join(', '),
        },
        {
          name: 'State',
          cell: ({ status, error }) => (
            <>
              <Badge tone={tones[status]}>{words(status)}</Badge> {error}
            </>
          ),
        },
        { name: 'Rows', numeric: true, cell: ({ rows }) => (rows === null ? '' : count(rows)) },
        { name: 'Ordered', cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          name: 'File',
          cell: (report) => (
            <>
              {report.status === 'ready' && (
                <Button disabled={download.isPending} onClick={() => download.mutate(report)}>
                  Download
                </Button>
              )}{' '}
              {mayRemove && (
                <Button
                  quiet
                  disabled={remove.isPending}
                  onClick={() => remove.mutate(report.id)}
                  aria-label={`Delete the report ${report.kind} of ${utcTime(report.createdAt)}`}
                >
                  {isMade(report) ? 'Cancel' : 'Delete'}
                </Button>
              )}
            </>
          ),
        },
      ]}
    >
      <Issue of={download.error ?? remove.error} />
    </ListCard>
  );
}

/** True while a report is being made. */
const isMade = ({ status }: Report): boolean => status === 'queued' || status === 'running';

const day = (iso: string): string => iso.slice(0, 10);
