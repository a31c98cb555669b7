declare module 'express4' {
  import express = require('express');

  export = express;
}
