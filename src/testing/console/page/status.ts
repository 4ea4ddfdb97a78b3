/** How a status of a response looks. */
export const statusClass = (status: number | undefined): string =>
  `status ${status !== undefined && status >= 200 && status < 400 ? 'good' : 'bad'}`;
