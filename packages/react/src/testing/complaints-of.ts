import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  jsx: ts.JsxEmit.ReactJSX,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
};

/** What the compiler says of a program that uses the built packages as an application does. */
export function complaintsOf(files: string[], options: ts.CompilerOptions = OPTIONS): string[] {
  const program = ts.createProgram(files, options, hostFor(options));
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    return file ? `${file.fileName}: ${text}` : text;
  });
}

/** Reads each file once: most of the time goes into the types of the platform and of React. */
function hostFor(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...more) => {
    const found = sources.get(name) ?? getSourceFile(name, ...more);
    if (name.includes('node_modules')) sources.set(name, found);
    return found;
  };
  return host;
}

const sources = new Map<string, ts.SourceFile | undefined>();

/** The same for a folder with a configuration of its own. */
export function complaintsOfProject(folder: string): string[] {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  return complaintsOf(fileNames, options);
}

/** Lets texts be modules where imports find the packages, for as long as `use` runs. */
export async function asModules<Result>(texts: string[], use: (paths: string[]) => Result | Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(import.meta.dirname, '../../dist/module-'));
  try {
    const paths = texts.map((_, index) => join(folder, `module-${index}.tsx`));
    for (const [index, path] of paths.entries()) writeFileSync(path, texts[index] ?? '');
    return await use(paths);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
