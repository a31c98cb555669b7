import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'e2e/src/**/*.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    maxWorkers: 2,
    // one second chance in CI, whose machine may stall for seconds: such tests are named at the end of the run
    retry: process.env.CI ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
