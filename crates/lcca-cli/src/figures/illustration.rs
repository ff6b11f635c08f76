//! A picture with the sentences that belong below it.

use crate::picture::Picture;

pub struct Illustration {
    pub picture: Box<dyn Picture>,
    pub caption: String,
}

impl Illustration {
    pub fn new(picture: impl Picture + 'static, caption: String) -> Self {
        Illustration { picture: Box::new(picture), caption }
    }
}
