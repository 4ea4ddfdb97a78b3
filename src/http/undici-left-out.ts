/** Takes the place of undici where the `imports` of package.json leave it out, because the platform's fetch is used there. */
export const isLeftOut = true;
