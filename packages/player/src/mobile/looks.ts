import { colorOf, type Fields, fieldsOf, imageOf, pixelsOf, wordOf } from './values.js';

/** Style sheet of drawn pages. */
export const SHEET = `
html,body{margin:0;height:100%;overflow:hidden;background:#fff}
body{font:16px/1.2 system-ui,sans-serif;color:#000}
body *{box-sizing:border-box}
body>*{position:fixed;display:flex;overflow:hidden}
.text,.area{white-space:pre-wrap;overflow-wrap:break-word}
.field,.button,.select,.choice,.progress{align-items:center;white-space:nowrap}
.button{justify-content:center}
.select,.toggle{justify-content:space-between}
.choice{gap:8px}
.disabled{opacity:.45}
.mark{display:grid;place-items:center;flex:none;width:18px;height:18px;border:2px solid;border-radius:3px;font:bold 13px/1 sans-serif}
.checkbox .on::after{content:"✓"}
.radio .mark{border-radius:50%}
.radio .on::after{content:"";width:8px;height:8px;border-radius:50%;background:currentColor}
.toggle .mark{width:36px;height:20px;padding:0 2px;border-radius:10px;place-items:center start}
.toggle .on{place-items:center end;background:#8886}
.toggle .mark::after{content:"";width:12px;height:12px;border-radius:50%;background:currentColor}
.horizontal div{flex:1;height:6px;border-radius:3px}
.circular{justify-content:center}
.circular div{height:100%;max-width:100%;aspect-ratio:1;border-radius:50%;mask:radial-gradient(closest-side,#0000 75%,#000 78%)}
.busy{opacity:.5}
.placeholder{align-items:center;justify-content:center;padding:2px;text-align:center;overflow-wrap:anywhere;color:#35373e;
background:repeating-linear-gradient(45deg,#e7e7ea 0 10px,#dcdce1 0 20px)}
.bar{align-items:center;justify-content:space-around;color:#888}
`;

const FLEX = { left: 'flex-start', top: 'flex-start', center: 'center', right: 'flex-end', bottom: 'flex-end' };
const FONTS = ['serif', 'sans-serif', 'monospace', 'cursive'] as const;

/** The CSS declarations of a wireframe: position, size, and the styles that are known and well-formed. */
export function lookOf(frame: Fields): string {
  const style = fieldsOf(frame['style']);
  const across = wordOf(style['horizontalAlign'], ['left', 'center', 'right']);
  const down = wordOf(style['verticalAlign'], ['top', 'center', 'bottom']);
  const image = imageOf(style['backgroundImage']);
  const border = pixelsOf(style['borderWidth']);
  const declarations: [string, string | number | undefined][] = [
    ['left', px(pixelsOf(frame['x']) ?? 0)],
    ['top', px(pixelsOf(frame['y']) ?? 0)],
    ['width', wordOf(frame['width'], ['100vw']) ?? px(pixelsOf(frame['width']))],
    ['height', px(pixelsOf(frame['height']))],
    ['color', colorOf(style['color'])],
    ['background-color', colorOf(style['backgroundColor'])],
    ['background-image', image && `url(${image})`],
    ['background-size', image && (wordOf(style['backgroundSize'], ['contain', 'cover', 'auto']) ?? '100% 100%')],
    ['background-repeat', image && 'no-repeat'],
    ['border', border && `${px(border)} solid ${colorOf(style['borderColor']) ?? 'currentColor'}`],
    ['border-radius', px(pixelsOf(style['borderRadius']))],
    ['font-size', px(pixelsOf(style['fontSize']))],
    ['font-family', wordOf(style['fontFamily'], FONTS)],
    ...['Top', 'Right', 'Bottom', 'Left'].map((side): [string, string | undefined] => [
      `padding-${side.toLowerCase()}`,
      px(pixelsOf(style[`padding${side}`])),
    ]),
    ['justify-content', across && FLEX[across]],
    ['text-align', across],
    ['align-items', down && FLEX[down]],
  ];
  return declarations.flatMap(([name, value]) => (value ? [`${name}:${value}`] : [])).join(';');
}

const px = (pixels: number | undefined): string | undefined => (pixels === undefined ? undefined : `${pixels}px`);
