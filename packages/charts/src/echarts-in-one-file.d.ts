declare module 'echarts/dist/echarts.esm.min.mjs' {
  export { init, setPlatformAPI } from 'echarts';
}
