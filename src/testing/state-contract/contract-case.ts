const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Runs a case of a contract. Its error begins with the rule that is broken. */
export async function contractCase(rule: string, run: () => Promise<void>, note = () => ''): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`${rule}\n  ${reasonOf(error)}${note()}`, { cause: error });
  }
}

/** Uses something and closes it. The error of `use` is more important than one of `close`. */
export async function thenClose<Opened extends { close(): Promise<void> }>(
  opened: Opened,
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  try {
    await use(opened);
  } catch (error) {
    // In JavaScript, `close` may return no promise, or throw.
    await Promise.resolve()
      .then(() => opened.close())
      .catch(() => {});
    throw error;
  }
  await opened.close();
}
