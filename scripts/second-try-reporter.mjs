// Lists the tests that passed only on retry (see `retry` in vitest.config.ts) with the errors of their first tries, so that flaky tests stay
// visible and can be explained.

export default class SecondTryReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        const { retryCount = 0 } = test.diagnostic() ?? {};
        if (retryCount === 0) continue;
        console.log(`passed on a second try only: ${module.relativeModuleId} > ${test.fullName}`);
        for (const { stack, message } of test.result().errors ?? []) console.log(indent(stack ?? message));
      }
    }
  }
}

const indent = (/** @type {string} */ text) => text.replaceAll(/^/gm, '  ');
