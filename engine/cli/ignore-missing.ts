/** For the failure of a file operation: a file that is not there is none. @throws any other error. */
export function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
