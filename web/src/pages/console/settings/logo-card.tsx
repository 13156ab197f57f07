import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Issue } from '../../../components/issue.tsx';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { ForRole } from '../for-role.tsx';
import type { Profile } from '../use-profile.ts';

/** Shows the logo, replaces it and removes it. */
export function LogoCard({ profile: { logo, name } }: { readonly profile: Profile }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: [...key, 'merchants.me'] });
  const upload = useMutation({
    mutationFn: (file: File) => api.merchants.uploadLogo({ file }),
    onSuccess,
  });
  const remove = useMutation({ mutationFn: () => api.merchants.removeLogo(), onSuccess });
  const busy = upload.isPending || remove.isPending;
  return (
    <Card title="Logo">
      <div className="stack">
        {logo?.url ? (
          <img
            className={styles.logo}
            src={logo.url}
            alt={`Logo of ${name}`}
            width={96}
            height={96}
          />
        ) : (
          <p>There is no logo yet.</p>
        )}
        <ForRole needs="admin">
          <p className="soft">
            PNG, JPEG, WebP, GIF or AVIF; 1 MiB and 8,192 pixels a side at most.
          </p>
          <div className={styles.row}>
            <label className={styles.file}>
              {upload.isPending ? 'Uploading…' : logo ? 'Choose another file' : 'Choose a file'}
              <input
                type="file"
                className="visually-hidden"
                accept="image/png,image/jpeg,image/webp,image/gif,image/avif"
                disabled={busy}
                onChange={({ target }) => {
                  const [file] = target.files ?? [];
                  if (file) upload.mutate(file);
                  target.value = '';
                }}
              />
            </label>
            {logo && (
              <Button disabled={busy} onClick={() => remove.mutate()}>
                Remove the logo
              </Button>
            )}
          </div>
          <Issue of={upload.error ?? remove.error} />
        </ForRole>
      </div>
    </Card>
  );
}
