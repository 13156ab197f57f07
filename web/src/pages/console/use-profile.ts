import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../engine/client/create-client.ts';
import { ApiError } from '../../../../engine/client/error.ts';
import type { DataOf } from '../../api.ts';
import { useActing } from './acting.tsx';

export type Profile = DataOf<Client['merchants']['me']>;

/** The merchant's profile; `null` before it is set up. */
export function useProfile() {
  const { api, key } = useActing();
  return useQuery({
    queryKey: [...key, 'merchants.me'],
    queryFn: async ({ signal }): Promise<Profile | null> => {
      try {
        return (await api.merchants.me({}, { signal })).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}
