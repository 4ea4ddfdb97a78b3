/** Returns a function that does `work` at its first call, and nothing later. */
export function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
