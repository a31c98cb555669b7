// Lists the tests that passed only on retry (see `retry` in vitest.config.ts), so that flaky tests stay visible.

export default class SecondTryReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        const { retryCount = 0 } = test.diagnostic() ?? {};
        if (retryCount > 0) console.log(`passed on a second try only: ${module.relativeModuleId} > ${test.fullName}`);
      }
    }
  }
}
