import { build } from 'esbuild';

/** Bundles `source` (TypeScript) with its npm imports, as an application does. Returns the content of a module `<script>`. */
export async function bundledScript(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
}
